CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`api_key_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`code_hash` text NOT NULL,
	`address_hash` text NOT NULL,
	`network_hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_address` ON `sign_in_codes` (`address_hash`,`created_at`);--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_network` ON `sign_in_codes` (`network_hash`,`created_at`);--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_age` ON `sign_in_codes` (`created_at`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `access_tokens` ADD `session_id` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `is_console` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `accounts_by_email` ON `accounts` (lower("email"));