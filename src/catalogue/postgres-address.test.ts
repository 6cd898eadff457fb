import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SpillwayError } from "../errors.ts";
import { describeAddress, parsePostgresAddress } from "./postgres-address.ts";

describe("the address of a PostgreSQL server", () => {
  test("names a user, a host and a database, and checks certificates of other machines", () => {
    assert.deepEqual(parsePostgresAddress("postgres://ann:p%40ss@db.example.com:6000/team"), {
      host: "db.example.com",
      port: 6000,
      user: "ann",
      database: "team",
      password: "p@ss",
      ssl: { servername: "db.example.com" },
    });
  });

  test("takes the password from beside the URL, and needs no TLS on this machine", () => {
    const address = parsePostgresAddress("postgresql://ann@127.0.0.1/team", "beside");
    assert.deepEqual([address.password, address.port, address.ssl], ["beside", 5432, false]);
    assert.equal(parsePostgresAddress("postgres://ann@x/team?host=/run/postgresql").ssl, false);
    for (const mode of ["require", "no-verify"]) {
      const { ssl } = parsePostgresAddress(`postgres://ann@db/team?sslmode=${mode}`);
      assert.deepEqual(ssl, { servername: "db", rejectUnauthorized: false });
    }
    // An address is compared with the certificate too, and is not sent as a name.
    assert.deepEqual(parsePostgresAddress("postgres://ann@10.0.0.1/team").ssl, { host: "10.0.0.1" });
  });

  test("is described without its user and password", () => {
    assert.equal(describeAddress(parsePostgresAddress("postgres://ann:pw@db/team")), "database team on db:5432");
  });

  const wrong = ["team", "mysql://ann:s3cret@db/team", "postgres://db/team", "postgres://ann:s3cret@db/"];
  for (const given of [
    ...wrong,
    "postgres://ann:s3cret@db/t?sslmode=prefer",
    "postgres://ann:s3cret@db/t?x=1",
    "postgres://ann:s3cret%zz@db/t",
    "postgres://ann:s3cret@db/t%",
    "postgres://ann:s3cret@db/t?schema=a;b",
  ]) {
    test(`refuses ${given} with a hint that works, and does not repeat the password`, () => {
      assert.throws(
        () => parsePostgresAddress(given),
        (error) => {
          assert.ok(error instanceof SpillwayError && error.code === "config_invalid");
          assert.ok(!error.advice.includes("s3cret"));
          return true;
        },
      );
    });
  }
});
