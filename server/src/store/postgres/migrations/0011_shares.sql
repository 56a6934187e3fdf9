DROP INDEX "launches_pending_of_address";--> statement-breakpoint
ALTER TABLE "address_launches" ADD COLUMN "launched" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "launch_starts" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "launch_starts" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "network" text;--> statement-breakpoint
CREATE INDEX "launches_pending_of_network" ON "launches" USING btree ("network","address") WHERE status = 'pending' and network is not null;