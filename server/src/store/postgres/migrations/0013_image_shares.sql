DROP INDEX "images_expiry";--> statement-breakpoint
DROP INDEX "images_of_wallet";--> statement-breakpoint
ALTER TABLE "images" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "images" ADD COLUMN "network" text;--> statement-breakpoint
CREATE INDEX "images_in_use" ON "images" USING btree ("expires_at","size","wallet","address","network","hash") WHERE expires_at is not null;