// A process that starts sqld on the directory it is given, prints its address, and waits to be killed.
import { startSqld } from "../../../../scripts/self-host/sqld.ts";

const sqld = await startSqld({ directory: process.argv[2]!, port: 0 });
process.stdout.write(`${sqld.url}\n`);
