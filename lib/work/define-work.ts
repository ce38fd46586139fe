import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { type Computed, listColumns } from '#db/columns.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, type SqlStatement, writeStatement } from '#db/statement.ts'
import {
  type AttemptKind,
  defaultLeaseSeconds,
  type TableKind,
  type WorkKind,
  type WorkTable,
  workKinds,
} from '#db/work-kinds.ts'
import {
  type Attempt,
  abandonedResult,
  attemptTable,
  createRefusal,
  DueRow,
  selectRefusal,
} from './attempts.ts'

/** A kind of stored work, as its job and its sweep call it. */
export interface Work<Ctx> {
  kind: AttemptKind
  /** Maximum number of attempts that a sweep makes at the same time while the queue is unreachable. */
  parallel: number
  /** Claim an attempt and make it. A duplicate message finds the attempt already claimed and does nothing. */
  attempt(ctx: Ctx, id: string, attempt: number): Promise<void>
  /**
   * Mark up to `limit` due rows as swept, so that no other sweep takes them for a minute, and return them.
   */
  claimDue(ctx: Ctx, limit: number): Promise<DueRow[]>
  /** Fail the rows whose last attempt never reported a result. */
  failAbandoned(ctx: Ctx): Promise<void>
}

const Refusal = z.object({ refusal: z.string().nullable() })

interface WorkStatements<Shape extends z.ZodObject> {
  /** The row of a kind with a table has `refusal` as well: why nothing may be done any more, or null. */
  claim: SqlStatement<Shape, [id: string, attempt: number], WriteDb | PlatformDb>
  claimDue: SqlStatement<typeof DueRow, [limit: number], WriteDb | PlatformDb>
  selectAbandoned: SqlStatement<Shape, [], ReadDb | PlatformDb>
}

type FinalFailure = ReturnType<typeof createRefusal>

/**
 * Define the statements of a kind whose attempts read the columns of `shape`. A field that is no column has
 * its expression in `computed`. `claimedIf` is a further condition for a claim.
 */
export function attemptStatements<Shape extends z.ZodObject>(
  kind: TableKind,
  shape: Shape,
  { computed = {}, claimedIf }: { computed?: Computed<Shape>; claimedIf?: RawBuilder<unknown> } = {},
): WorkStatements<Shape> {
  const { claim, claimDue, isAbandoned } = attemptTable(kind)
  const workKind: WorkKind & { table: WorkTable } = workKinds[kind]
  const columns = listColumns(shape, { computed })
  const claimed = sql`${columns}, ${selectRefusal(workKind)} as refusal`
  return {
    claim: writeStatement(shape.extend(Refusal.shape) as unknown as Shape, (id, attempt) =>
      claim(id, attempt, claimed, claimedIf),
    ),
    claimDue: writeStatement(DueRow, claimDue),
    selectAbandoned: readStatement(
      shape,
      () => sql`
        select ${columns} from ${sql.table(workKind.table.name)} where ${isAbandoned}
         order by row_number() over (partition by account_id order by leased_until) limit 100`,
    ),
  }
}

/** Return the statement that extends the lease of an attempt which still runs. */
export const renewStatement = (kind: TableKind) =>
  writeStatement(null, (attempt: Pick<Attempt, 'id' | 'attempts'>) => attemptTable(kind).renew(attempt))

/** Renew the lease of an attempt three times as often as it would end, until `work` has ended. */
async function whileRenewing(
  kind: AttemptKind,
  renew: () => Promise<unknown> | undefined,
  work: Promise<void>,
): Promise<void> {
  const { table }: WorkKind = workKinds[kind]
  const everyMs = ((table?.leaseSeconds ?? defaultLeaseSeconds) * 1000) / 3
  // A lease that could not be renewed has two more chances.
  const timer = setInterval(() => void renew()?.catch(() => {}), everyMs)
  await work.finally(() => clearInterval(timer))
}

/**
 * Define a kind of stored work by what an attempt does once it is claimed, and what follows when the last one
 * never reported a result, or when the work may not be done any more.
 */
export function defineWork<Ctx extends { platform: PlatformDb }, Shape extends z.ZodObject>({
  kind,
  parallel = 1,
  statements: { claim, claimDue, selectAbandoned },
  attempt,
  fail,
}: {
  kind: AttemptKind
  parallel?: number
  statements: WorkStatements<Shape>
  attempt(ctx: Ctx, claimed: z.output<Shape>): Promise<void>
  fail(ctx: Ctx, claimed: z.output<Shape>, result: FinalFailure): Promise<void>
}): Work<Ctx> {
  // The lease of an assessment is longer than its one call to the model.
  const renew = kind === 'assessment' ? undefined : renewStatement(kind)
  return {
    kind,
    parallel,
    async attempt(ctx, id, number) {
      const claimed = await claim.first(ctx.platform, id, number)
      if (!claimed) return
      const { refusal } = Refusal.partial().parse(claimed)
      if (refusal) return fail(ctx, claimed, createRefusal(refusal))
      await whileRenewing(
        kind,
        () => renew?.run(ctx.platform, { id, attempts: number }),
        attempt(ctx, claimed),
      )
    },
    claimDue: ({ platform }, limit) => claimDue.all(platform, limit),
    async failAbandoned(ctx) {
      for (const abandoned of await selectAbandoned.all(ctx.platform))
        await fail(ctx, abandoned, abandonedResult)
    },
  }
}
