CREATE TABLE "free_grant_counts" (
	"day" date NOT NULL,
	"owner_sha256" "bytea" NOT NULL,
	"grants" integer NOT NULL,
	CONSTRAINT "free_grant_counts_day_owner_sha256_pk" PRIMARY KEY("day","owner_sha256")
);
