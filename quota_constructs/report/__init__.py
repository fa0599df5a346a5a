"""Reports: an assessment, a decision, a status or a simulation as text, Markdown or HTML.

`view` turns an assessment into rows and sentences; each format lays the same view out. Nothing here asks an account.
"""
