CREATE TABLE "fee_thresholds" (
	"wallet" text NOT NULL,
	"token_mint" text NOT NULL,
	"lamports" numeric NOT NULL,
	CONSTRAINT "fee_thresholds_wallet_token_mint_pk" PRIMARY KEY("wallet","token_mint")
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"lease_id" text NOT NULL,
	"lease_until" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "migrated_at" bigint;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "fees_told_at" bigint;--> statement-breakpoint
CREATE INDEX "tokens_unmigrated" ON "tokens" USING btree ("id") WHERE migrated_at is null;