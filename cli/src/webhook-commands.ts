import type { Command } from "commander";
import { parseCount, parseWebhookId } from "./arguments.ts";
import { examples } from "./examples.ts";
import type { Run } from "./run.ts";

const ID = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";

/** Adds `tokenctl webhooks …` to the grammar. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhooks = program.command("webhooks").description("have events sent to a receiver");

  webhooks
    .command("add")
    .description("add a receiver, and print its secret")
    .argument("<url>", "an https URL of a public host")
    .option("--after <id>", "send the events after this one; 0 for all", parseCount)
    .addHelpText("after", examples("tokenctl webhooks add https://agent.example/hook"))
    .action((url: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/manage.ts")).add(context, url, options),
      ),
    );

  webhooks
    .command("list")
    .description("list the wallet's webhooks")
    .addHelpText("after", examples("tokenctl webhooks list", "tokenctl webhooks list --json"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/manage.ts")).list(context),
      ),
    );

  webhooks
    .command("remove")
    .description("delete a webhook and its log")
    .argument("<id>", "the webhook's id", parseWebhookId)
    .addHelpText("after", examples(`tokenctl webhooks remove ${ID}`))
    .action((id: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/manage.ts")).remove(context, id),
      ),
    );

  webhooks
    .command("test")
    .description("send a test message and wait for the answer")
    .argument("<id>", "the webhook's id", parseWebhookId)
    .addHelpText("after", examples(`tokenctl webhooks test ${ID}`))
    .action((id: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/deliver.ts")).test(context, id),
      ),
    );

  webhooks
    .command("deliveries")
    .description("list what was sent last, newest first")
    .argument("<id>", "the webhook's id", parseWebhookId)
    .option("--limit <n>", "at most so many", parseCount)
    .addHelpText("after", examples(`tokenctl webhooks deliveries ${ID} --limit 10`))
    .action((id: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/deliver.ts")).deliveries(context, id, options),
      ),
    );

  webhooks
    .command("replay")
    .description("send one event once more, or all after one")
    .argument("<id>", "the webhook's id", parseWebhookId)
    .option("--event <id>", "send this event once more", parseCount)
    .option("--after <id>", "send all after this one, in order, now", parseCount)
    .addHelpText(
      "after",
      examples(
        `tokenctl webhooks replay ${ID} --event 7`,
        `tokenctl webhooks replay ${ID} --after 3`,
      ),
    )
    .action((id: string, options, command: Command) => {
      if ((options.event === undefined) === (options.after === undefined)) {
        command.error("give either --event, for one event, or --after");
      }
      return run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/deliver.ts")).replay(context, id, options),
      );
    });

  webhooks
    .command("rotate")
    .description("make new secrets; the old ones sign 24 h more")
    .argument("<id>", "the webhook's id", parseWebhookId)
    .addHelpText("after", examples(`tokenctl webhooks rotate ${ID}`))
    .action((id: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/webhooks/manage.ts")).rotate(context, id),
      ),
    );
}
