-- What tables alone cannot hold; docs/storage.md says why. Written by hand (drizzle-kit knows no triggers).
-- An account starts with nothing: every credit it ever has is a ledger row.
CREATE TRIGGER `accounts_start_at_zero` BEFORE INSERT ON `accounts` WHEN NEW.`balance_micro` <> 0
BEGIN SELECT RAISE(ABORT, 'an account starts at zero: credit it through the ledger'); END;
--> statement-breakpoint
-- The balance is the sum of the ledger by construction. Below zero, the check on accounts aborts the insert.
CREATE TRIGGER `ledger_moves_balance` AFTER INSERT ON `ledger`
BEGIN UPDATE `accounts` SET `balance_micro` = `balance_micro` + NEW.`amount_micro` WHERE `id` = NEW.`account_id`; END;
--> statement-breakpoint
CREATE TRIGGER `ledger_refuses_update` BEFORE UPDATE ON `ledger`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `ledger_refuses_delete` BEFORE DELETE ON `ledger`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `holds_refuse_update` BEFORE UPDATE ON `holds`
BEGIN SELECT RAISE(ABORT, 'a hold never changes: settle it'); END;
--> statement-breakpoint
-- A hold leaves only together with the ledger row that says what became of it.
CREATE TRIGGER `holds_leave_by_ledger` BEFORE DELETE ON `holds`
WHEN NOT EXISTS (SELECT 1 FROM `ledger` WHERE `hold_id` = OLD.`id`)
BEGIN SELECT RAISE(ABORT, 'a hold ends with its ledger row: settle or release it'); END;
