import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { isNight } from '#test/support/night.ts'
import { hasOpenBody, hasUuidParams } from './requests.ts'

type OperationCase = readonly [id: string, op: AnyOperation]

/** List every operation, as rows of `it.each`. */
export function listCases(isIncluded: (op: AnyOperation) => unknown = () => true): OperationCase[] {
  return operations.filter(isIncluded).map((op) => [op.id, op] as const)
}

/**
 * List operations that together have each value of what the pipeline decides by, for behaviour that the pipeline has
 * and no operation of its own. In the nightly run list every operation.
 */
export function listSharedCases(isIncluded?: (op: AnyOperation) => unknown): OperationCase[] {
  const seen = new Set<string>()
  return listCases(isIncluded).filter(([, op]) => {
    const flags = listFlags(op)
    const isNew = flags.some((flag) => !seen.has(flag))
    for (const flag of flags) seen.add(flag)
    return isNight || isNew
  })
}

/** List the first of the cases with each `kind`, or every case in the nightly run. */
export function listOnePer<Case extends OperationCase>(
  cases: readonly Case[],
  getKind: (op: AnyOperation) => string,
): Case[] {
  return isNight
    ? [...cases]
    : [...new Map(cases.toReversed().map((item) => [getKind(item[1]), item])).values()]
}

/**
 * Everything of a declaration that the pipeline reads before it calls the handler, but for texts and the
 * shapes themselves.
 */
function listFlags(op: AnyOperation): string[] {
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
  return [
    ...Object.entries(flags).map((flag) => JSON.stringify(flag)),
    `id: ${params && hasUuidParams(op)}`,
    `query: ${Boolean(query)}`,
    `body: ${body && hasOpenBody(op)}`,
    `limit: ${limit === 'none'}`,
    `events: ${Boolean(events)}`,
    `feature: ${Boolean(feature)}`,
    `platform: ${Boolean(platform)}`,
  ]
}
