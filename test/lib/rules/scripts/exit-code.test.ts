// @module-tag behaviour
import { expect, it } from 'vitest'
import { toExitCode } from '#rules/scripts/exit-code.ts'

it.each([
  [0, 0],
  [-1, -1],
  [2_147_483_647, 2_147_483_647],
  [-2_147_483_648, -2_147_483_648],
  [2_147_483_648, -2_147_483_648],
  [3_221_225_786, -1_073_741_510],
  [4_294_967_295, -1],
  [4_294_967_296, null],
  [-2_147_483_649, null],
  [1.5, null],
  [null, null],
])('the exit code %s is %s', (code, expected) => {
  expect(toExitCode(code)).toBe(expected)
})
