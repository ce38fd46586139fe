import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { hasOpenBody, hasUuidParams } from './requests.ts'

type OperationCase = readonly [id: string, op: AnyOperation]

/** List every operation, as rows of `it.each`. */
export function listCases(isIncluded: (op: AnyOperation) => unknown = () => true): OperationCase[] {
  return operations.filter(isIncluded).map((op) => [op.id, op] as const)
}

/**
 * List one operation for each distinct set of what the pipeline decides by, for behaviour that the pipeline
 * has and no operation of its own. With `ALL_OPERATIONS=1`, as in the nightly run, list every operation.
 */
export function listSharedCases(isIncluded?: (op: AnyOperation) => unknown): OperationCase[] {
  return listOnePer(listCases(isIncluded), listFlags)
}

/** List the first of the cases with each `kind`, or every case with `ALL_OPERATIONS=1`. */
export function listOnePer<Case extends OperationCase>(
  cases: readonly Case[],
  getKind: (op: AnyOperation) => string,
): Case[] {
  return process.env.ALL_OPERATIONS === '1'
    ? [...cases]
    : [...new Map(cases.toReversed().map((item) => [getKind(item[1]), item])).values()]
}

/**
 * Everything of a declaration that the pipeline reads before it calls the handler, but for texts and the
 * shapes themselves.
 */
function listFlags(op: AnyOperation): string {
  const {
    id,
    path,
    summary,
    description,
    limit,
    params,
    query,
    body,
    returns,
    errors,
    events,
    feature,
    platform,
    handle,
    success,
    ...flags
  } = op
  const shapes = [params && hasUuidParams(op), Boolean(query), body && hasOpenBody(op)]
  return JSON.stringify([
    ...Object.entries(flags).toSorted(),
    shapes,
    limit === 'none',
    Boolean(events),
    Boolean(feature),
    Boolean(platform),
  ])
}
