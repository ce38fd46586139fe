import { expect, it } from 'vitest'
import { formatTimer, parseTimer, StepTimer } from '#rules/flows/step-timer.ts'

it.each([
  [{ minutes: 1 }, '1', true],
  [{ minutes: 43_200 }, '43200', true],
  [{ minutes: 43_201 }, '43201', false],
  [{ minutes: 0 }, '0', false],
  [{ minutes: 999_999_999 }, '999999999', false],
  [{ until: '1000000000' }, '1000000000', false],
  [{ until: '18:00' }, '18:00', true],
  [{ until: '24:00' }, '24:00', false],
])('the timer %j is written as %j, and its schema returns %j', (timer, word, isValid) => {
  expect([formatTimer(timer as StepTimer), parseTimer(word), StepTimer.safeParse(timer).success]).toEqual([
    word,
    timer,
    isValid,
  ])
})
