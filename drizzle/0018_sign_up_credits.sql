CREATE TABLE `sign_up_credits` (
	`mailbox` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
-- Whoever has an account by now has had its credit. As mailboxOf in edge/sign-in/email-address.ts reads addresses.
WITH `cut` AS (SELECT `id`, `created_at`, lower(`email`) AS `email`, instr(`email`, '@') AS `at`, instr(`email`, '+') AS `plus` FROM `accounts`),
`parts` AS (SELECT `id`, `created_at`, substr(`email`, `at` + 1) AS `domain`,
    substr(`email`, 1, CASE WHEN `plus` > 1 AND `plus` < `at` THEN `plus` ELSE `at` END - 1) AS `local`
  FROM `cut` WHERE `at` > 1)
INSERT OR IGNORE INTO `sign_up_credits` (`mailbox`, `account_id`, `created_at`)
SELECT CASE WHEN `domain` IN ('gmail.com', 'googlemail.com') THEN replace(`local`, '.', '') || '@gmail.com'
  ELSE `local` || '@' || `domain` END, `id`, `created_at` FROM `parts` ORDER BY `created_at`, `id`;
--> statement-breakpoint
-- An account without an address is named PROVIDER:SUBJECT, and its credit too (edge/routes/account/identity.ts).
INSERT OR IGNORE INTO `sign_up_credits` (`mailbox`, `account_id`, `created_at`)
SELECT `email`, `id`, `created_at` FROM `accounts` WHERE instr(`email`, '@') = 0 ORDER BY `created_at`, `id`;
