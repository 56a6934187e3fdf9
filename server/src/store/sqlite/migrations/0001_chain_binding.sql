CREATE TABLE `chain_binding` (
	`id` integer PRIMARY KEY NOT NULL,
	`chain` text NOT NULL,
	`launch_wallet` text NOT NULL,
	`genesis_hash` text,
	CONSTRAINT "chain_binding_one_row" CHECK("chain_binding"."id" = 1),
	CONSTRAINT "chain_binding_chain" CHECK("chain_binding"."chain" in ('local', 'solana'))
);
