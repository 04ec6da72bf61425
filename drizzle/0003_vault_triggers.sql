-- The version a stored key must have only grows, by one, and never goes: two writers at once cannot both win,
-- and a row that was replaced or deleted cannot come back. Written by hand (drizzle-kit knows no triggers).
CREATE TRIGGER `provider_key_versions_grow` BEFORE UPDATE ON `provider_key_versions`
WHEN NEW.`version` <> OLD.`version` + 1 OR NEW.`account_id` <> OLD.`account_id` OR NEW.`provider` <> OLD.`provider`
BEGIN SELECT RAISE(ABORT, 'the version of a provider key grows by one'); END;
--> statement-breakpoint
CREATE TRIGGER `provider_key_versions_refuse_delete` BEFORE DELETE ON `provider_key_versions`
BEGIN SELECT RAISE(ABORT, 'the version of a provider key is kept for good'); END;
