CREATE TABLE "event_counters" (
	"wallet" text PRIMARY KEY NOT NULL,
	"last_id" bigint NOT NULL,
	"last_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"wallet" text NOT NULL,
	"id" bigint NOT NULL,
	"type" text NOT NULL,
	"created_at" bigint NOT NULL,
	"event_id" text NOT NULL,
	"ticker" text NOT NULL,
	"token_mint" text,
	"transaction_hash" text,
	"other_mints" text DEFAULT '[]' NOT NULL,
	CONSTRAINT "events_wallet_id_pk" PRIMARY KEY("wallet","id")
);
--> statement-breakpoint
CREATE INDEX "event_counters_changed" ON "event_counters" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "events_by_age" ON "events" USING btree ("created_at","wallet","id");