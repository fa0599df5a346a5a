for (const table of document.querySelectorAll("table.sortable")) {
  table.tHead.querySelectorAll("th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
      const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
      const numeric = rows.every(([value]) => value === "" || !Number.isNaN(Number(value)));
      const compare = numeric ? (a, b) => Number(a) - Number(b) : (a, b) => a.localeCompare(b, undefined, { numeric: true });
      rows.sort(([a], [b]) => (up ? compare(a, b) : compare(b, a)));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}
