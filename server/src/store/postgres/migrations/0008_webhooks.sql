CREATE TABLE "webhook_deliveries" (
	"webhook_id" text NOT NULL,
	"number" bigint NOT NULL,
	"wallet" text NOT NULL,
	"kind" text NOT NULL,
	"event" bigint,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"attempted_at" bigint,
	"http_status" integer,
	"problem" text,
	CONSTRAINT "webhook_deliveries_webhook_id_number_pk" PRIMARY KEY("webhook_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"url" text NOT NULL,
	"created_at" bigint NOT NULL,
	"key" "bytea" NOT NULL,
	"old_key" "bytea",
	"old_key_until" bigint,
	"cursor" bigint NOT NULL,
	"head" bigint,
	"retry_at" bigint,
	"waiting" integer DEFAULT 0 NOT NULL,
	"last_number" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"disabled_at" bigint,
	"lease_id" text,
	"lease_until" bigint
);
--> statement-breakpoint
CREATE UNIQUE INDEX "webhooks_url" ON "webhooks" USING btree ("wallet","url");--> statement-breakpoint
CREATE INDEX "webhooks_open" ON "webhooks" USING btree ("retry_at") WHERE head is not null or waiting > 0;