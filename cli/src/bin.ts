#!/usr/bin/env bun
import { main } from "./main.ts";
import { processWorld } from "./world.ts";

// Not awaited at the top level: bytecode is compiled as CommonJS, which has no such thing. The
// exit is explicit because connections kept alive would hold the process for seconds.
main(process.argv.slice(2), processWorld).then((exitCode) => process.exit(exitCode));
