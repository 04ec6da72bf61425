-- A request that goes on to another model after calls that are charged sets more credit aside. So a hold may grow, and changes in no
-- other way.
DROP TRIGGER `holds_refuse_update`;
--> statement-breakpoint
CREATE TRIGGER `holds_only_grow` BEFORE UPDATE ON `holds`
WHEN NEW.`amount_micro` < OLD.`amount_micro` OR NEW.`id` <> OLD.`id` OR NEW.`account_id` <> OLD.`account_id`
  OR NEW.`api_key_id` <> OLD.`api_key_id` OR NEW.`token_id` IS NOT OLD.`token_id` OR NEW.`created_at` <> OLD.`created_at`
BEGIN SELECT RAISE(ABORT, 'a hold only grows: settle it'); END;
