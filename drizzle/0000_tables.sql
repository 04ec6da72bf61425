CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`balance_micro` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`suspended_at` integer,
	CONSTRAINT "balance_in_range" CHECK("accounts"."balance_micro" BETWEEN 0 AND 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`slot` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "slot_in_range" CHECK("api_keys"."slot" IN (1, 2, 3))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_active_slot` ON `api_keys` (`account_id`,`slot`) WHERE "api_keys"."revoked_at" IS NULL;--> statement-breakpoint
CREATE TABLE `catalog_snapshots` (
	`source` text PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	`fetched_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `holds` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`api_key_id` text NOT NULL,
	`amount_micro` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "hold_is_whole" CHECK(typeof("holds"."amount_micro") = 'integer' AND "holds"."amount_micro" >= 0)
);
--> statement-breakpoint
CREATE INDEX `holds_by_account` ON `holds` (`account_id`,`amount_micro`);--> statement-breakpoint
CREATE INDEX `holds_by_age` ON `holds` (`created_at`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`amount_micro` integer NOT NULL,
	`hold_id` text,
	`request_id` text,
	`api_key_id` text,
	`model` text,
	`execution_llm` text,
	`provider` text,
	`key_source` text,
	`markup` real,
	`planning_tokens` integer,
	`input_tokens` integer,
	`output_tokens` integer,
	`cached_tokens` integer,
	`cache_write_tokens` integer,
	`reasoning_tokens` integer,
	`prices` text,
	`outcome` text,
	`flag` text,
	`reason` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "amount_fits_kind" CHECK(typeof("ledger"."amount_micro") = 'integer' AND CASE "ledger"."kind"
        WHEN 'credit' THEN "ledger"."amount_micro" > 0 AND "ledger"."hold_id" IS NULL
        WHEN 'charge' THEN "ledger"."amount_micro" <= 0 AND "ledger"."hold_id" IS NOT NULL
        WHEN 'release' THEN "ledger"."amount_micro" = 0 AND "ledger"."hold_id" IS NOT NULL
        ELSE FALSE END)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_hold_id_unique` ON `ledger` (`hold_id`);--> statement-breakpoint
CREATE INDEX `ledger_by_account` ON `ledger` (`account_id`,`id`);