import type * as z from 'zod'
import { type RestoredKindName, restoredKinds } from '#db/restored-columns.ts'
import type { WriteDb } from '#db/scope.ts'
import type {
  CheckedRecord,
  FlowRecord,
  FlowVersionRecord,
  OwnId,
  SkippedRecord,
} from '#functions/accounts/import-records/schemas.ts'
import {
  addSkipped,
  checkSlice,
  openArchive,
  sliceSteps,
  toVersionKey,
} from '#functions/accounts/import-records/service.ts'
import type { NewIds, Scope } from '#functions/accounts/import-rows/schemas.ts'
import { losesSubflow, toRow } from '#functions/accounts/import-rows/service.ts'
import { describe, toProblem } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import { pause, spend } from '#rules/budget.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { abandonedResult, enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { announceProgress } from '#work/job-progress.ts'
import { countSliceFailures, toSliceAttempt } from '#work/slices.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that a slice needs. */
export type ImportContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'uploads' | 'log'>

/** What a slice has done, and what it writes in the transaction that records it. */
interface Slice {
  write(
    db: WriteDb,
  ): Promise<{ progress: queries.ImportProgress; done: number } | { counts: Record<string, number> }>
}

// Rows are stored in this order, so that each refers to one that exists.
const kinds = Object.keys(restoredKinds) as RestoredKindName[]

/**
 * Do the next slice of an import: check records of the archive, prepare rows, or store all of them. Its
 * result and its progress are written in one transaction, so an attempt that crashes has changed nothing.
 */
export const work = defineWork({
  kind: 'import',
  statements: queries.attempts,
  async attempt(ctx: ImportContext, claimed) {
    try {
      await recordSlice(ctx, claimed, await doSlice(ctx, claimed))
      recordAttempt('import', { ok: true }, null)
    } catch (error) {
      if (!(error instanceof OvertakenError)) await recordFailure(ctx, claimed, error)
    }
  },
  fail: (ctx, claimed, result) =>
    completeFailure(
      ctx,
      claimed,
      result,
      result === abandonedResult ? new Problem('internal') : new Problem('forbidden', result.error),
    ),
})

/** Delete up to `limit` records of imports that are over. Return their number. */
export function deleteRecords({ platform }: Pick<JobContext, 'platform'>, limit: number): Promise<number> {
  return queries.deleteRecords.run(platform, limit)
}

/** A later attempt was claimed. Thrown to roll back what this one has written. */
class OvertakenError extends Error {}

async function doSlice(ctx: ImportContext, claimed: queries.ClaimedImport): Promise<Slice> {
  const { progress } = claimed
  switch (progress.stage) {
    case 'check':
      return checkNext(ctx, claimed, progress)
    case 'connect':
      return { write: (db) => connect(db, claimed) }
    case 'prepare':
      return prepareNext(ctx, claimed, progress)
    case 'store':
      return { write: (db) => store(db, claimed) }
  }
}

const openScope = (ctx: ImportContext, { account_id, requested_by }: queries.ClaimedImport) =>
  ctx.openAccountScope(account_id, requested_by)

/** Write what a slice has done, and enqueue the next one. */
async function recordSlice(ctx: ImportContext, claimed: queries.ClaimedImport, slice: Slice): Promise<void> {
  await openScope(ctx, claimed).transaction(async (db) => {
    const result = await slice.write(db)
    const recordedImport =
      'counts' in result
        ? await queries.completeImport.first(db, claimed, result.counts)
        : await queries.continueImport.first(db, claimed, result.progress, result.done)
    if (!recordedImport) throw new OvertakenError()
    await announce(
      db,
      claimed,
      'progress' in result ? phases[result.progress.stage] : 'finished',
      'progress' in result ? result.done : claimed.total,
    )
    if ('progress' in result) enqueueNext(db, 'import', claimed)
  })
}

const phases = { check: 'checking', connect: 'preparing', prepare: 'preparing', store: 'storing' } as const

function announce(
  db: WriteDb,
  { id, requested_by, total }: queries.ClaimedImport,
  phase: string,
  done: number,
): Promise<void> {
  return announceProgress(db, {
    kind: 'import',
    id,
    user_id: requested_by,
    phase,
    done: Math.round(done),
    total,
  })
}

type Progress<Stage> = Extract<queries.ImportProgress, { stage: Stage }>

async function checkNext(
  ctx: ImportContext,
  claimed: queries.ClaimedImport,
  { at, skipped }: Progress<'check'>,
): Promise<Slice> {
  const bytes = await ctx.uploads.get(claimed.object_key)
  if (!bytes) throw new Error('The archive of an import is missing')
  const slice = await checkSlice(await openArchive(bytes), at, sliceSteps / 2 ** countSliceFailures(claimed))
  return {
    async write(db) {
      addSkipped(skipped, slice.skipped)
      const records = await leaveOutFlows(db, claimed.id, slice.records, skipped)
      const inserted = await queries.insertRecords.all(db, claimed.id, records)
      const places = new Set(inserted.map(({ kind, place }) => `${kind} ${place}`))
      addSkipped(
        skipped,
        records
          .filter(({ kind, place, is_valid }) => is_valid && !places.has(`${kind} ${place}`))
          .map(toDuplicate),
      )
      const progress = slice.next
        ? { stage: 'check' as const, at: slice.next, skipped }
        : { stage: 'connect' as const, skipped }
      return { progress, done: slice.done }
    },
  }
}

function toDuplicate({ kind, name }: CheckedRecord): SkippedRecord {
  return {
    kind,
    name,
    reason: kind === 'flow_versions' ? 'is in the archive twice' : 'has the id of another record',
  }
}

/** Return the records without the flows whose current version is missing or not valid. */
async function leaveOutFlows(
  db: WriteDb,
  id: string,
  records: readonly CheckedRecord[],
  skipped: queries.ImportProgress['skipped'],
) {
  const toKey = ({ record }: CheckedRecord) => {
    const flow = record as FlowRecord
    return toVersionKey({ tree_id: flow.id, version: flow.version })
  }
  const flows = records.filter(({ kind }) => kind === 'flows')
  const versions = flows.length > 0 ? await queries.selectVersions.all(db, id, flows.map(toKey)) : []
  const validByKey = new Map(versions.map(({ key, is_valid }) => [key, is_valid]))
  return records.filter((record) => {
    if (record.kind !== 'flows') return true
    const isValid = validByKey.get(toKey(record))
    if (!isValid) {
      const reason = isValid === false ? 'its current version is not valid' : 'its current version is missing'
      addSkipped(skipped, [{ kind: 'flows', name: record.name, reason }])
    }
    return isValid
  })
}

/** Connect the records with one another, and with what the account has. */
async function connect(db: WriteDb, { id, total, progress: { skipped } }: queries.ClaimedImport) {
  await queries.deleteLostVersions.run(db, id)
  await queries.connectNames.run(db, id)
  await queries.connectForks.run(db, id)
  const records = (await queries.countRecords.all(db, id)).reduce((sum, { count }) => sum + count, 0)
  const at = { kind: kinds[0] ?? 'account', place: 0 }
  return { progress: { stage: 'prepare' as const, at, prepared: 0, records, skipped }, done: total / 2 }
}

// Characters of records that are read at once.
const preparedLength = 1024 * 1024
/** Reading a record, replacing its ids, and writing it. */
const stepsPerCharacter = 5

/** Prepare the next rows, as many as the work of a slice allows. */
async function prepareNext(
  ctx: ImportContext,
  claimed: queries.ClaimedImport,
  progress: Progress<'prepare'>,
): Promise<Slice> {
  const { db } = openScope(ctx, claimed)
  const scope = await queries.selectScope.one(db)
  const platformFlows = (await queries.selectPlatformFlows(db)).map(({ id }) => [id, id] as const)
  const pages: PreparedPage[] = []
  let at: Progress<'prepare'>['at'] | null = progress.at
  for (let left = sliceSteps / 2 ** countSliceFailures(claimed) / stepsPerCharacter; at && left > 0; ) {
    const { kind, place }: Progress<'prepare'>['at'] = at
    const records = await queries.selectRecords.all(
      db,
      claimed.id,
      kind,
      place,
      Math.min(preparedLength, left),
    )
    const last = records.at(-1)
    const nextKind: RestoredKindName | undefined = kinds[kinds.indexOf(kind) + 1]
    at = last ? { kind, place: last.place } : nextKind ? { kind: nextKind, place: 0 } : null
    if (!last) continue
    const ids = toNewIds(await queries.selectNewIds.all(db, claimed.id, listIds(records)), platformFlows)
    pages.push(await preparePage(kind, records, ids, scope))
    left -= records.reduce((sum, { record }) => sum + record.length, 0)
  }
  return {
    async write(tx) {
      const { skipped } = progress
      for (const { kind, rows, lost } of pages) {
        addSkipped(skipped, lost)
        await queries.updateRecords.run(tx, claimed.id, kind, rows)
      }
      const prepared = pages.reduce((sum, { rows }) => sum + rows.length, progress.prepared)
      const half = claimed.total / 2
      const done = Math.round(half + half * Math.min(1, prepared / Math.max(1, progress.records)))
      return { progress: at ? { ...progress, at, prepared } : { stage: 'store', skipped }, done }
    },
  }
}

interface PreparedPage {
  kind: RestoredKindName
  rows: { place: number; row: object | null }[]
  lost: SkippedRecord[]
}

async function preparePage(
  kind: RestoredKindName,
  records: readonly z.output<typeof queries.NextRecord>[],
  ids: NewIds,
  scope: Scope,
): Promise<PreparedPage> {
  const page: PreparedPage = { kind, rows: [], lost: [] }
  for (const { record: json, ...connected } of records) {
    spend(json.length * stepsPerCharacter)
    const record: object = JSON.parse(json)
    page.rows.push({ place: connected.place, row: toRow(kind, record, connected, ids, scope) })
    if (kind === 'flow_versions' && losesSubflow(record as FlowVersionRecord, ids))
      page.lost.push({
        kind: 'subflows',
        name: (record as FlowVersionRecord).name,
        reason: 'runs a flow that is not in the archive',
      })
    await pause()
  }
  return page
}

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** List all that looks like an id in records and their connections. */
function listIds(
  records: readonly { record: string; parent: string | null; root: string | null }[],
): string[] {
  return [
    ...new Set(
      records.flatMap(({ record, parent, root }) => `${record} ${parent} ${root}`.match(idPattern) ?? []),
    ),
  ]
}

function toNewIds(
  found: readonly z.output<typeof queries.NewId>[],
  platformFlows: readonly (readonly [string, OwnId])[],
): NewIds {
  const listOf = (kind: keyof NewIds) =>
    found.filter((row) => row.kind === kind).map(({ key, id }) => [key, id] as const)
  return {
    teams: new Map(listOf('teams')),
    categories: new Map(listOf('categories')),
    script_categories: new Map(listOf('script_categories')),
    scripts: new Map(listOf('scripts')),
    flows: new Map([...listOf('flows'), ...platformFlows]),
  }
}

/**
 * Store all rows in one transaction, which only copies them. Throw 409 unless the account is empty, and when
 * a limit of the plan is reached.
 */
async function store(db: WriteDb, { id }: queries.ClaimedImport) {
  const countByKind = new Map(
    (await queries.countRecords.all(db, id)).map(({ kind, count }) => [kind, count]),
  )
  const counts = Object.fromEntries(
    kinds.filter((kind) => kind !== 'account').map((kind) => [kind, countByKind.get(kind) ?? 0]),
  )
  const { is_started } = await queries.startImport.one(db, counts)
  if (!is_started) throw new Problem('account_not_empty')
  await queries.updateSettings.run(db, id)
  for (const kind of kinds) {
    if (kind === 'account') continue
    for (let last = await queries.insertRows.first(db, id, kind, { depth: -1, place: 0 }); last; )
      last = await queries.insertRows.first(db, id, kind, last)
  }
  return { counts }
}

/**
 * Repeat a slice that failed for a reason that may pass. Otherwise the import fails, and nothing of it is
 * stored.
 */
async function recordFailure(
  ctx: ImportContext,
  claimed: queries.ClaimedImport,
  error: unknown,
): Promise<void> {
  const problem = toProblem(error)
  const isFinal = problem.status < 500
  if (!isFinal) ctx.log({ import_slice_failed: claimed.id, error: describe(error) })
  const result = {
    ok: false as const,
    status: null,
    error: 'The slice could not be done',
    gone: isFinal ? true : undefined,
  }
  await completeFailure(ctx, claimed, result, problem)
}

async function completeFailure(
  ctx: ImportContext,
  claimed: queries.ClaimedImport,
  result: SendResult,
  problem: Problem,
): Promise<void> {
  const delaySeconds = secondsUntilRetry(toSliceAttempt(claimed), result)
  recordAttempt('import', { ok: false }, delaySeconds)
  await openScope(ctx, claimed).transaction(async (db) => {
    const recorded = await queries.failImport.first(db, claimed, result, delaySeconds, problem.body)
    if (recorded && delaySeconds === null) await announce(db, claimed, 'finished', 0)
    if (recorded && delaySeconds !== null) enqueueNext(db, 'import', claimed, delaySeconds)
  })
}
