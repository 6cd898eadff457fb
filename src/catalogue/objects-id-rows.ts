/** The row that names the objects of a team store: an object of that name is where its bytes are. */
import type { Queries } from "./sql.ts";

export async function findObjectsId(queries: Queries): Promise<string | undefined> {
  return (await queries.get<{ id: string }>("SELECT id FROM objects_ids WHERE number = 1"))?.id;
}

/** Makes this the id unless there is one, and says which it is. */
export async function claimObjectsId(queries: Queries, id: string): Promise<string> {
  await queries.run("INSERT INTO objects_ids (number, id) VALUES (1, ?) ON CONFLICT (number) DO NOTHING", id);
  return (await findObjectsId(queries)) ?? id;
}
