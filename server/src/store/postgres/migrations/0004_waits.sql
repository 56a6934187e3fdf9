ALTER TABLE "launches" ADD COLUMN "waiting_for" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "waiting_since" bigint;