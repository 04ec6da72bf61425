-- Every charge is counted where it is read often: by key and month for budgets, by day for usage, by token for its
-- cap. The sums are right by construction, as the balance is. Written by hand (drizzle-kit knows no triggers).
CREATE TRIGGER `ledger_counts_key_month` AFTER INSERT ON `ledger`
WHEN NEW.`kind` = 'charge' AND NEW.`api_key_id` IS NOT NULL
BEGIN
  INSERT INTO `key_months` (`api_key_id`, `month`, `spent_micro`, `last_used_at`)
  VALUES (NEW.`api_key_id`, strftime('%Y-%m', NEW.`created_at` / 1000, 'unixepoch'), -NEW.`amount_micro`, NEW.`created_at`)
  ON CONFLICT (`api_key_id`, `month`) DO UPDATE SET
    `spent_micro` = `spent_micro` + excluded.`spent_micro`, `last_used_at` = max(`last_used_at`, excluded.`last_used_at`);
END;
--> statement-breakpoint
CREATE TRIGGER `ledger_counts_usage_day` AFTER INSERT ON `ledger`
WHEN NEW.`kind` = 'charge' AND NEW.`api_key_id` IS NOT NULL
BEGIN
  INSERT INTO `usage_days` (`account_id`, `day`, `api_key_id`, `model`, `requests`, `prompt_tokens`, `completion_tokens`,
    `planning_tokens`, `spent_micro`)
  VALUES (NEW.`account_id`, date(NEW.`created_at` / 1000, 'unixepoch'), NEW.`api_key_id`, coalesce(NEW.`model`, ''), 1,
    coalesce(NEW.`input_tokens`, 0), coalesce(NEW.`output_tokens`, 0), coalesce(NEW.`planning_tokens`, 0), -NEW.`amount_micro`)
  ON CONFLICT (`account_id`, `day`, `api_key_id`, `model`) DO UPDATE SET
    `requests` = `requests` + 1,
    `prompt_tokens` = `prompt_tokens` + excluded.`prompt_tokens`,
    `completion_tokens` = `completion_tokens` + excluded.`completion_tokens`,
    `planning_tokens` = `planning_tokens` + excluded.`planning_tokens`,
    `spent_micro` = `spent_micro` + excluded.`spent_micro`;
END;
--> statement-breakpoint
-- The hold is still there: it is deleted after its ledger row.
CREATE TRIGGER `ledger_counts_token` AFTER INSERT ON `ledger` WHEN NEW.`amount_micro` < 0
BEGIN
  UPDATE `access_tokens` SET `spent_micro` = `spent_micro` - NEW.`amount_micro`
  WHERE `id` = (SELECT `token_id` FROM `holds` WHERE `id` = NEW.`hold_id`);
END;
--> statement-breakpoint
-- What was charged before these triggers were there.
INSERT INTO `key_months` (`api_key_id`, `month`, `spent_micro`, `last_used_at`)
SELECT `api_key_id`, strftime('%Y-%m', `created_at` / 1000, 'unixepoch'), -sum(`amount_micro`), max(`created_at`)
FROM `ledger` WHERE `kind` = 'charge' AND `api_key_id` IS NOT NULL GROUP BY 1, 2;
--> statement-breakpoint
INSERT INTO `usage_days` (`account_id`, `day`, `api_key_id`, `model`, `requests`, `prompt_tokens`, `completion_tokens`,
  `planning_tokens`, `spent_micro`)
SELECT `account_id`, date(`created_at` / 1000, 'unixepoch'), `api_key_id`, coalesce(`model`, ''), count(*),
  coalesce(sum(`input_tokens`), 0), coalesce(sum(`output_tokens`), 0), coalesce(sum(`planning_tokens`), 0), -sum(`amount_micro`)
FROM `ledger` WHERE `kind` = 'charge' AND `api_key_id` IS NOT NULL GROUP BY 1, 2, 3, 4;
