/**
 * Records what a real node answers to `requests.ts`. `git diff` then shows how it differs from the node of
 * the last recording.
 */
import { join } from "node:path";
import { untilStatus } from "../../support/node.ts";
import { ValidatorNode } from "../node.ts";
import { answersTo, type Recording } from "./answers.ts";
import { requestsFor } from "./requests.ts";
import { makeScene } from "./scene.ts";

await using node = await ValidatorNode.start();
const { connection, url } = node;
const scene = await makeScene(connection, (signature) =>
  untilStatus(connection, signature, ["finalized"]),
);
const recording: Recording = {
  node: (await connection.getVersion())["solana-core"],
  answers: await answersTo(url, await requestsFor(scene)),
};
await Bun.write(join(import.meta.dir, "answers.json"), `${JSON.stringify(recording, null, 1)}\n`);
console.log(`${Object.keys(recording.answers).length} answers of ${recording.node}`);
