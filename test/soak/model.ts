import { expect } from 'vitest'
import type { ApiResponse } from '#test/support/app.ts'
import { pick, type Random } from './random.ts'

/** What an operation answers in a state, such as `200` or `409 wrong_state`, and the state after it. */
export type Step<State> = readonly [answer: string, next: State]

/** A request that one of the people sends, and what the model expects of it. */
export interface Act<State> {
  name: string
  send(): Promise<ApiResponse>
  /** Return the answer and the next state. Concurrent acts are tried in every order. */
  apply(state: State): Step<State>
  /**
   * What it answers, without an effect, if another act of the round changes the state after this one has read
   * it.
   */
  conflict?: string
}

export interface Model<State> {
  start: State
  /** Return what a person may try now. The state is one that the service can be in. */
  listActs(state: State, person: number): Act<State>[]
  /** Read what the service shows of its state, and compare it with what the model says. */
  read(): Promise<unknown>
  show(state: State): unknown
  /** What happens between two rounds, such as a clock that moves. */
  pass?(states: readonly State[]): Promise<State[]>
}

const people = [0, 1, 2]

/**
 * Let three people act at once, round by round. Every round must be what some order of its requests answers,
 * one after the other. Return the state after the last round.
 */
export async function playModel<State>(
  model: Model<State>,
  random: Random,
  rounds: number,
  label: string,
): Promise<State> {
  let states = [model.start]
  const story: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const acts = people.map((person) => pick(random, model.listActs(states[0] as State, person)))
    const answers = await Promise.all(acts.map(async (act) => toAnswer(await act.send())))
    story.push(acts.map(({ name }, n) => `${name}: ${answers[n]}`).join(', '))
    const reached = states.flatMap((state) =>
      listOrders(people).flatMap((order) => {
        const next = playOrder(state, order, acts, answers)
        return next === undefined ? [] : [next]
      }),
    )
    expect(
      reached.length,
      `${label}: no order of round ${round} has these answers\n${story.join('\n')}`,
    ).toBeGreaterThan(0)
    const shown = JSON.stringify(await model.read())
    states = distinct(reached.filter((state) => JSON.stringify(model.show(state)) === shown))
    const expected = reached.map((state) => JSON.stringify(model.show(state))).join(' or ')
    expect(
      states.length,
      `${label}: round ${round} left ${shown} instead of ${expected}\n${story.join('\n')}`,
    ).toBeGreaterThan(0)
    if (model.pass) states = await model.pass(states)
  }
  return states[0] as State
}

function toAnswer({ status, body }: ApiResponse): string {
  return body?.code ? `${status} ${body.code}` : String(status)
}

function playOrder<State>(
  start: State,
  order: readonly number[],
  acts: readonly Act<State>[],
  answers: readonly string[],
) {
  let state = start
  let isConflict = false
  for (const n of order) {
    const act = acts[n] as Act<State>
    const [answer, next] = act.apply(state)
    if (answer === answers[n]) state = next
    else if (act.conflict === answers[n]) isConflict = true
    else return undefined
  }
  return isConflict && state === start ? undefined : state
}

function listOrders(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((first) =>
    listOrders(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  )
}

function distinct<State>(states: readonly State[]): State[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()]
}
