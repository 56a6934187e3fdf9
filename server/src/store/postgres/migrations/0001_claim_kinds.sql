ALTER TABLE "claims" ADD COLUMN "other_mints" text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "sponsored_day" text;--> statement-breakpoint
CREATE INDEX "claims_at_risk" ON "claims" USING btree ("wallet","sponsored_day") WHERE sponsored_day is not null and status <> 'confirmed';