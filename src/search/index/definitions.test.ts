import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { measureLines } from "./chunk.ts";
import { findDefinition } from "./definitions.ts";

/** What the first line defines: the name with its rank, or null. */
function describeDefinition(text: string): string | null {
  const { starts, indents } = measureLines(text);
  const definition = findDefinition(text, starts[0] ?? 0, starts[1] ?? text.length, indents[0] ?? 0);
  return definition === null ? null : `${text.slice(definition.start, definition.end)} ${definition.rank}`;
}

const cases: readonly (readonly [line: string, expected: string | null])[] = [
  ["class Router(Base):", "Router 3"],
  ["export default class App extends Component {", "App 3"],
  ["pub(crate) struct Shared<T> {", "Shared 3"],
  ["type Engine struct {", "Engine 3"],
  ["data Maybe a = Nothing | Just a", "Maybe 3"],
  ["defmodule Phoenix.Router do", "Router 3"],
  ["namespace MessagePack", "MessagePack 3"],
  ["    def register(self, router):", "register 2"],
  ["    async def fetch(self):", "fetch 2"],
  ["func (c *Context) JSON(code int, obj any) {", "JSON 2"],
  ["function M.setup(opts)", "setup 2"],
  ["pub fn parse(input: &str) -> Result<()> {", "parse 2"],
  ["  public static <T> List<T> of(T... items) {", "of 2"],
  ["  render(view, options) {", "render 2"],
  ["int main(int argc, char **argv)\n{", "main 2"],
  ["CURLcode Curl_open(struct Curl_easy **curl)", "Curl_open 2"],
  ["open_gate(struct gate *gate, int level,\n    int *flow)\n{", "open_gate 2"],
  ["void open_gate(struct gate *gate,\n    int level);", "open_gate 1"],
  ["int close_gate(struct gate *gate);", "close_gate 1"],
  ["void\t open_gate(struct gate *, int,\n    int *) __attribute__((nonnull));", "open_gate 1"],
  ["  openGate(\n    gate: Gate,\n  ): Flow {", "openGate 2"],
  ["  openGate(\n    gate,\n  );", null],
  ["  openGate(gate, {\n    level,\n  }) {", null],
  ["    open_gate(l, n));\nfor (i = 0; i < n; i++) {", null],
  ["open_gate(l, n));\nfor (i = 0; i < n; i++) {", null],
  ["gate.lift(3000);", null],
  ["Gate::lift(a, b);", null],
  ["gate->lift(a, b);", null],
  ["struct gate *make_gate(int level);", "make_gate 1"],
  ["runQuery :: Query a -> Window -> X a", "runQuery 2"],
  ["const handler = async (request) => {", "handler 2"],
  ["bats_prefix_lines() {", "bats_prefix_lines 2"],
  ["pub const ArrayList = struct {", "ArrayList 3"],
  ["impl Display for Shape {", null],
  ["impl<T: Clone> From<Vec<T>> for Shape<T> {", null],
  ["impl Shape {", "Shape 3"],
  ["instance Show Shape where", null],
  ["defimpl Enumerable, for: Shape do", null],
  ["class Shape;", null],
  ["enum class Color;", null],
  ["pub struct Marker;", "Marker 1"],
  ["template <> struct hash<Shape> {", null],
  ["class Shape<T> {", "Shape 3"],
  ["const limit = 10;", "limit 1"],
  ["DEFAULT_TIMEOUT = 30", "DEFAULT_TIMEOUT 1"],
  ["CREATE TABLE IF NOT EXISTS public.orders (", "orders 3"],
  ["create or replace function refresh_totals()", "refresh_totals 3"],
  ["CREATE UNIQUE INDEX CONCURRENTLY by_name ON orders (name);", "by_name 3"],
  ["CREATE MATERIALIZED VIEW `daily` AS", "daily 3"],
  ["create a table of users", null],
  ["  create(options) {", "create 2"],
  ["  query(text) {", "query 2"],
  ["(defn parse-order [text]", "parse-order 2"],
  ["(define (fold-left f init list)", "fold-left 2"],
  ["(defmacro ^:private with-lock", "with-lock 2"],
  ["(print (default value))", null],
  ["let rec fold f accu list =", "fold 2"],
  ["let inline (|Even|Odd|) n = n", null],
  ["let total = 1", "total 1"],
  ["let private tryFind (key: string) map =", "tryFind 2"],
  ["update : Msg -> Model -> Model", "update 2"],
  ["key : value", null],
  ["read_orders <- function(path) {", "read_orders 2"],
  ["limit <- 10", null],
  ["const char first = 'a';", null],
  ["message OrderRequest {", "OrderRequest 3"],
  ["message of the day", null],
  ["  rpc GetOrder(OrderRequest) returns (Order);", "GetOrder 2"],
  ['    "def load_orders(path):\\n",', "load_orders 2"],
  ['    "class": "wide",', null],
  ['    "function should be called once"', null],
  ["(defaults to 302).", null],
  ["      message match {", null],
  ['  "main(x) {"', null],
  ["    const local = 10;", null],
  ["    return compute(value);", null],
  ["  if (ready) {", null],
  ["  setup({", null],
  ["    handle(request);", null],
  ["  struct connectdata *conn,", null],
  ["    class will be used when", null],
  ["// class Foo", null],
  ["", null],
];

describe("a line of code", () => {
  for (const [line, expected] of cases) {
    test(`${JSON.stringify(line)} defines ${expected ?? "nothing"}`, () =>
      assert.equal(describeDefinition(line), expected));
  }
});

test("a special case of a template does not define the template", () => {
  const text = "template <>\nstruct hash<Shape> {\n";
  const start = text.indexOf("struct");
  assert.equal(findDefinition(text, start, text.length, 0), null);
  const general = "template <typename T>\nclass Box {\n";
  const definition = findDefinition(general, general.indexOf("class"), general.length, 0);
  assert.equal(general.slice(definition?.start, definition?.end), "Box");
});
