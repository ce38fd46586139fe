import { type Budget, createBudget } from '#rules/budget.ts'

// A check inside a zod schema gets nothing but the value. Validation is synchronous, so the budget of the
// request can be a variable meanwhile.
let validationBudget: Budget | undefined

/** Run a synchronous validation, whose checks spend from `budget`. */
export function validateWithin<T>(budget: Budget, validate: () => T): T {
  const outerBudget = validationBudget
  validationBudget = budget
  try {
    return validate()
  } finally {
    validationBudget = outerBudget
  }
}

/**
 * Return the budget of the validation that runs. A schema that is used outside of a request gets a budget of
 * its own.
 */
export function getValidationBudget(): Budget {
  return validationBudget ?? createBudget()
}
