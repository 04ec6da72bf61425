ALTER TABLE `sign_in_codes` ADD `site_hash` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_site` ON `sign_in_codes` (`site_hash`,`created_at`);