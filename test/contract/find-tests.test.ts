// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { findTests, readTestIndex, timingTests } from '#test/support/find-tests.ts'

const index = readTestIndex(root)

it.each([
  ['a rule, through its test', 'lib/rules/schedules/cron.ts', 'test/lib/rules/schedules/cron.test.ts'],
  [
    'a rule, through the operations that use it',
    'lib/rules/text/csv.ts',
    'test/functions/analytics/weekly-reports.test.ts',
  ],
  [
    'queries, through a service that another group calls',
    'functions/flows/versions/queries.ts',
    'test/functions/flows/tree-forks.test.ts',
  ],
  [
    'a service that only a job calls',
    'functions/flows/link-checks/service.ts',
    'test/functions/flows/flow-health.test.ts',
  ],
  [
    'an operation, through the generated tests',
    'functions/flows/pins/operations.ts',
    'test/contract/operations.test.ts',
  ],
  [
    'an operation that a test calls by its path',
    'functions/admin/plans/service.ts',
    'test/functions/admin/admin-plans.test.ts',
  ],
  ['an emulator', 'lib/local/vendors/stripe/stripe.ts', 'test/functions/billing/billing.test.ts'],
  ['a helper of tests', 'test/support/browser.ts', 'test/functions/http/docs.test.ts'],
  ['the entry of the Worker', 'lib/platform/cloudflare/hub.ts', 'test/platform/worker-behaviour.test.ts'],
  ['a script that a test starts', 'test/platform/job-process.ts', 'test/platform/jobs.test.ts'],
  ['a page that a test reads', 'functions/README.md', 'test/lib/config.test.ts'],
  [
    'a sample in a folder that a test reads',
    'test/lib/rules/knowledge/articles/help-center.html',
    'test/lib/rules/knowledge/knowledge-samples.test.ts',
  ],
  [
    'code, through a test that reads all of it',
    'functions/search/queries.ts',
    'test/lib/db/statements.test.ts',
  ],
  ['a migration', 'migrations/0015_flows.sql', 'test/functions/flows/trees.test.ts'],
])('finds the tests of %s', (_, changed, test) => {
  expect(findTests(index, [changed])).toContain(test)
})

it('leaves out tests that no import leads to, and those with limits of time', () => {
  const tests = findTests(index, ['functions/search/queries.ts'])
  expect(tests).not.toContain('test/lib/rules/schedules/cron.test.ts')
  expect(tests).not.toContain('test/functions/billing/billing.test.ts')
  const timed = [...index.reachedBy.keys()].filter((test) => timingTests.test(test))
  expect(timed).toHaveLength(3)
  expect(findTests(index, ['package.json'])).not.toEqual(expect.arrayContaining([timed[0]]))
})

describe('a migration', () => {
  const findBySql = (sql: string) => findTests(index, ['migrations/9999_things.sql'], () => sql)
  // They read what PostgreSQL says of its tables.
  const looksAtEveryTable = [
    'test/contract/tenancy.test.ts',
    'test/functions/accounts/erasure.test.ts',
    'test/functions/jobs/retention.test.ts',
    'test/lib/db/account-data.test.ts',
    'test/security/row-level-security.test.ts',
  ]
  it('with a new table is tested by what looks at every table', () => {
    const tests = findBySql('create table things (id uuid primary key)')
    expect(tests).toEqual(expect.arrayContaining(looksAtEveryTable))
    expect(tests.length).toBeLessThan(25)
  })
  it('of a known table is tested by its subject too', () => {
    const tests = findBySql('alter table tree_pins add column color text')
    expect(tests).toEqual(
      expect.arrayContaining([...looksAtEveryTable, 'test/functions/flows/tree-pins.test.ts']),
    )
    expect(tests).not.toContain('test/functions/billing/billing.test.ts')
  })
  it('of a function is tested by what calls it', () => {
    const tests = findBySql('create or replace function app.find_entries() returns void as $$ $$')
    expect(tests).toContain('test/functions/search/search.test.ts')
    expect(tests).not.toContain('test/functions/billing/billing.test.ts')
  })
})
