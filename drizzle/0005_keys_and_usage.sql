CREATE TABLE `access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`api_key_id` text NOT NULL,
	`hash` text NOT NULL,
	`endpoints` text NOT NULL,
	`models` text,
	`max_micro` integer,
	`spent_micro` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_tokens_hash_unique` ON `access_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `access_tokens_by_expiry` ON `access_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `key_months` (
	`api_key_id` text NOT NULL,
	`month` text NOT NULL,
	`spent_micro` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`api_key_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `usage_days` (
	`account_id` text NOT NULL,
	`day` text NOT NULL,
	`api_key_id` text NOT NULL,
	`model` text NOT NULL,
	`requests` integer NOT NULL,
	`prompt_tokens` integer NOT NULL,
	`completion_tokens` integer NOT NULL,
	`planning_tokens` integer NOT NULL,
	`spent_micro` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `api_key_id`, `model`)
);
--> statement-breakpoint
DROP INDEX `holds_by_account`;--> statement-breakpoint
ALTER TABLE `holds` ADD `token_id` text;--> statement-breakpoint
CREATE INDEX `holds_by_account` ON `holds` (`account_id`,`api_key_id`,`token_id`,`amount_micro`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `is_operator` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `prefix` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `manage` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `monthly_budget_micro` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `models` text;--> statement-breakpoint
ALTER TABLE `ledger` ADD `generation` text;--> statement-breakpoint
CREATE INDEX `ledger_by_request` ON `ledger` (`request_id`) WHERE "ledger"."request_id" IS NOT NULL;