ALTER TABLE `accounts` ADD `kept_answer_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `stored_answers` ADD `answer_bytes` integer DEFAULT 0 NOT NULL;