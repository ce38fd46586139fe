import { type RawBuilder, sql } from 'kysely'
import type * as z from 'zod'
import { type Computed, listColumns } from '#db/columns.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, type SqlStatement, writeStatement } from '#db/statement.ts'
import { type AttemptKind, type TableKind, workKinds } from '#db/work-kinds.ts'
import { abandonedResult, attemptTable, DueRow } from './attempts.ts'

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

interface WorkStatements<Shape extends z.ZodObject> {
  claim: SqlStatement<Shape, [id: string, attempt: number], WriteDb | PlatformDb>
  claimDue: SqlStatement<typeof DueRow, [limit: number], WriteDb | PlatformDb>
  selectAbandoned: SqlStatement<Shape, [], ReadDb | PlatformDb>
}

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
  const columns = listColumns(shape, { computed })
  const table = sql.table(workKinds[kind].table.name)
  return {
    claim: writeStatement(shape, (id, attempt) => claim(id, attempt, columns, claimedIf)),
    claimDue: writeStatement(DueRow, claimDue),
    selectAbandoned: readStatement(
      shape,
      () => sql`select ${columns} from ${table} where ${isAbandoned} limit 100`,
    ),
  }
}

/**
 * Define a kind of stored work by what an attempt does once it is claimed, and what follows when the last one
 * never reported a result.
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
  fail(ctx: Ctx, claimed: z.output<Shape>, result: typeof abandonedResult): Promise<void>
}): Work<Ctx> {
  return {
    kind,
    parallel,
    async attempt(ctx, id, number) {
      const claimed = await claim.first(ctx.platform, id, number)
      if (claimed) await attempt(ctx, claimed)
    },
    claimDue: ({ platform }, limit) => claimDue.all(platform, limit),
    async failAbandoned(ctx) {
      for (const abandoned of await selectAbandoned.all(ctx.platform))
        await fail(ctx, abandoned, abandonedResult)
    },
  }
}
