CREATE TABLE "service_time" (
	"id" integer PRIMARY KEY NOT NULL,
	"ms" bigint NOT NULL,
	"ticked_at" bigint NOT NULL,
	CONSTRAINT "service_time_one_row" CHECK ("service_time"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "queued_at" bigint DEFAULT 0 NOT NULL;