"""An address on loopback that receives the handler's answers, as CloudFormation's pre-signed one does."""

from __future__ import annotations

import http.server
import threading

SECRET = "X-Amz-Signature=do-not-show"


class Address:
    """Receives answers on loopback; `statuses` are given one after the other, the last one for ever."""

    def __init__(self) -> None:
        self.received: list[tuple[str, str, dict[str, str], bytes]] = []
        self.statuses = [200]
        address = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                address.received.append((self.command, self.path, dict(self.headers), body))
                status = address.statuses.pop(0) if len(address.statuses) > 1 else address.statuses[0]
                if status == 0:
                    self.connection.close()
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the base class
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/bucket/key%7Cid?{SECRET}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
