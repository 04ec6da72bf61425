DROP INDEX `ledger_by_request`;--> statement-breakpoint
CREATE INDEX `ledger_by_request` ON `ledger` (`request_id`,`account_id`) WHERE "ledger"."request_id" IS NOT NULL;