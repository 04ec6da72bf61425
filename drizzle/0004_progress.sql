CREATE TABLE `hold_progress` (
	`hold_id` text PRIMARY KEY NOT NULL,
	`charge_micro` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`request_id` text,
	`model` text,
	`execution_llm` text,
	`key_source` text,
	`markup` real
);
--> statement-breakpoint
ALTER TABLE `ledger` ADD `reported_cost_micro` integer;--> statement-breakpoint
CREATE INDEX `ledger_by_time` ON `ledger` (`created_at`);