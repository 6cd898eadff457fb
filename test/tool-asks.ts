/**
 * Ways in which models ask a client for a tool, with the tools that must be among the results. The descriptions were
 * worded with the tuned asks in view; the others were written at the same time and not looked at while wording.
 */

export type ToolAsk = { readonly ask: string; readonly wants: readonly string[] };

const wanting = (tool: string, asks: readonly string[]): ToolAsk[] => asks.map((ask) => ({ ask, wants: [tool] }));

const core = ["fetch_content", "read_artifact", "search_code"];

export const tunedAsks: readonly ToolAsk[] = [
  ...wanting("fetch_content", [
    "read a pdf file",
    "fetch url",
    "download web page as markdown",
    "open a website",
    "extract text from docx",
    "read an excel spreadsheet",
    "get the html source of a page",
    "read a long log file",
    "summarise several links at once",
    "unzip archive and list files",
  ]),
  ...wanting("read_artifact", [
    "read_artifact",
    "read more of a truncated result",
    "continue reading at an offset",
    "artifact_ref",
    "page 12 of a document fetched before",
    "search inside a document for a passage",
    "responseId stored content",
    "attachment of an email",
    "password protected pdf",
  ]),
  ...wanting("search_code", [
    "search code in repository",
    "find where a function is defined",
    "grep the codebase",
    "which file handles authentication",
    "semantic code search",
    "find usages of a class",
  ]),
  ...wanting("index_repository", ["index a repository", "indexing status", "cancel indexing job", "reindex project"]),
  { ask: "spillway", wants: core },
];

export const otherAsks: readonly ToolAsk[] = [
  ...wanting("fetch_content", [
    "web fetch tool",
    "scrape article text",
    "load https link content",
    "convert PDF to text",
    "view powerpoint slides",
    "read CSV data file",
    "http get raw response",
    "read large file without filling the context",
    "online documentation page",
    "open epub book",
    "parse email eml message",
  ]),
  ...wanting("read_artifact", [
    "show next part of the document",
    "get lines 200 to 300 of the kept file",
    "section by heading",
    "rest of the content that was cut off",
    "read stored result by id",
    "answer a question from a saved source",
    "look up reference af_",
    "member of a zip archive",
  ]),
  ...wanting("search_code", [
    "local code search",
    "find function definition by name",
    "locate error message in source files",
    "how does the login flow work in this project",
    "explore unfamiliar codebase",
    "search repository for symbol",
  ]),
  ...wanting("index_repository", [
    "build search index of folder",
    "progress of background job",
    "stop indexing",
    "refresh stale index",
  ]),
  { ask: "spillway tools", wants: core },
];

/** Tools of other servers that a client may have connected, as they are commonly described. */
export const otherTools: readonly { readonly name: string; readonly description: string }[] = [
  { name: "mcp__files__read_file", description: "Read the complete contents of a file as text." },
  { name: "mcp__files__write_file", description: "Create a new file or overwrite an existing file with new content." },
  { name: "mcp__files__edit_file", description: "Make line-based edits to a text file and return a diff." },
  { name: "mcp__files__list_directory", description: "List all files and folders in a directory." },
  { name: "mcp__files__search_files", description: "Search for files whose names match a pattern, recursively." },
  { name: "mcp__git__git_log", description: "Shows the commit log of a repository." },
  { name: "mcp__git__git_diff", description: "Shows differences between branches or commits of a repository." },
  { name: "mcp__github__create_issue", description: "Create a new issue in a repository." },
  {
    name: "mcp__github__get_pull_request",
    description: "Get details of a pull request: title, status, changed files.",
  },
  { name: "mcp__github__search_repositories", description: "Search for repositories by name, topic or language." },
  { name: "mcp__github__list_workflow_runs", description: "List runs of a workflow with their status." },
  { name: "mcp__browser__navigate", description: "Navigate the browser to a URL and wait for the page to load." },
  { name: "mcp__browser__click", description: "Click an element on the web page." },
  { name: "mcp__browser__snapshot", description: "Capture an accessibility snapshot of the current page." },
  { name: "mcp__browser__screenshot", description: "Take a screenshot of the page and save it as an image file." },
  { name: "mcp__database__query", description: "Run a read-only SQL query and return the rows." },
  { name: "mcp__database__list_tables", description: "List the tables of the database with their columns." },
  { name: "mcp__slack__post_message", description: "Post a message to a channel." },
  { name: "mcp__slack__search_messages", description: "Search messages in channels by text." },
  { name: "mcp__mail__send_email", description: "Send an email with an optional attachment." },
  { name: "mcp__mail__list_threads", description: "List email threads that match a search." },
  { name: "mcp__calendar__create_event", description: "Create an event in the calendar." },
  { name: "mcp__notes__create_page", description: "Create a page in a workspace, with content in Markdown." },
  { name: "mcp__notes__search", description: "Search pages of the workspace by title or content." },
  { name: "mcp__tickets__get_ticket", description: "Get a ticket by its id with comments and status." },
  { name: "mcp__docs__get_library_docs", description: "Fetch up-to-date documentation of a library by its id." },
  { name: "mcp__memory__search_nodes", description: "Search for entities in the knowledge graph by a query." },
  { name: "mcp__cloud__get_logs", description: "Get log entries of a service within a time range." },
  { name: "mcp__shell__run_command", description: "Run a command in a shell and return its output." },
  { name: "mcp__images__generate", description: "Generate an image from a text description." },
];
