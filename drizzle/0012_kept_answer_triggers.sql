-- An account's kept bytes are the sum of its rows by construction, as the balance is: a bound that is checked by every
-- request with a key cannot add up a day of rows. Written by hand (drizzle-kit knows no triggers).
CREATE TRIGGER `stored_answers_add_bytes` AFTER INSERT ON `stored_answers` WHEN NEW.`answer_bytes` <> 0
BEGIN UPDATE `accounts` SET `kept_answer_bytes` = `kept_answer_bytes` + NEW.`answer_bytes` WHERE `id` = NEW.`account_id`; END;
--> statement-breakpoint
CREATE TRIGGER `stored_answers_change_bytes` AFTER UPDATE OF `answer_bytes` ON `stored_answers`
WHEN NEW.`answer_bytes` <> OLD.`answer_bytes`
BEGIN
  UPDATE `accounts` SET `kept_answer_bytes` = `kept_answer_bytes` + NEW.`answer_bytes` - OLD.`answer_bytes`
  WHERE `id` = NEW.`account_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `stored_answers_free_bytes` AFTER DELETE ON `stored_answers` WHEN OLD.`answer_bytes` <> 0
BEGIN UPDATE `accounts` SET `kept_answer_bytes` = `kept_answer_bytes` - OLD.`answer_bytes` WHERE `id` = OLD.`account_id`; END;
--> statement-breakpoint
-- What was kept before these triggers were there; sealed text is ASCII. They are in place, so they add it up.
UPDATE `stored_answers` SET `answer_bytes` = length(`answer`) WHERE `answer` IS NOT NULL;
