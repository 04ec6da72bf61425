CREATE TABLE `provider_key_versions` (
	`account_id` text NOT NULL,
	`provider` text NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`account_id`, `provider`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `provider_keys` (
	`account_id` text NOT NULL,
	`provider` text NOT NULL,
	`version` integer NOT NULL,
	`sealed` text NOT NULL,
	`validated_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `provider`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `rate_hits` (
	`bucket` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_hits_by_bucket` ON `rate_hits` (`bucket`,`at`);--> statement-breakpoint
CREATE INDEX `rate_hits_by_age` ON `rate_hits` (`at`);--> statement-breakpoint
CREATE TABLE `stored_answers` (
	`account_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`hold_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`answer` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key_hash`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `stored_answers_by_age` ON `stored_answers` (`created_at`);