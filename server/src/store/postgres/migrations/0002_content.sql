CREATE TABLE "images" (
	"hash" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"media_type" text NOT NULL,
	"size" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"bytes" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "website" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "twitter" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "telegram" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "pool_terms" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "image_hash" text;--> statement-breakpoint
CREATE INDEX "images_expiry" ON "images" USING btree ("expires_at","size") WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX "images_of_wallet" ON "images" USING btree ("wallet","expires_at") WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX "launches_of_image" ON "launches" USING btree ("image_hash") WHERE image_hash is not null;