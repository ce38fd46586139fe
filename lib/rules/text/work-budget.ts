import type { Budget } from '#rules/budget.ts'

/** The part of a budget that a reader of a script needs. */
export type WorkBudget = Pick<Budget, 'spend'>
