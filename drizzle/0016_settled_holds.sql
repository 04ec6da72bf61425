-- Where the edge of 0013 ran before 0013 was applied, each settlement left its hold, as no trigger ended it. Such a hold takes credit
-- for good, and the sweep fails at its first one, as a hold has one ledger row. Written by hand: it changes rows alone.
DELETE FROM `hold_progress` WHERE EXISTS (SELECT 1 FROM `ledger` WHERE `ledger`.`hold_id` = `hold_progress`.`hold_id`);
--> statement-breakpoint
DELETE FROM `holds` WHERE EXISTS (SELECT 1 FROM `ledger` WHERE `hold_id` = `holds`.`id`);
