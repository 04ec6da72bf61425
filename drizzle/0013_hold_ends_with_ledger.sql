-- A hold ends with its ledger row by construction: one statement settles, where three in a transaction did. The token is
-- counted by the same trigger, because SQLite leaves the order of two triggers open and the hold names the token. Written by
-- hand (drizzle-kit knows no triggers).
DROP TRIGGER `ledger_counts_token`;
--> statement-breakpoint
CREATE TRIGGER `ledger_ends_hold` AFTER INSERT ON `ledger` WHEN NEW.`hold_id` IS NOT NULL
BEGIN
  UPDATE `access_tokens` SET `spent_micro` = `spent_micro` - NEW.`amount_micro`
  WHERE `id` = (SELECT `token_id` FROM `holds` WHERE `id` = NEW.`hold_id`);
  DELETE FROM `holds` WHERE `id` = NEW.`hold_id`;
  DELETE FROM `hold_progress` WHERE `hold_id` = NEW.`hold_id`;
END;
