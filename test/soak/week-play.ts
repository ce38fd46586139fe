import type { OwnService } from '#test/support/app.ts'
import { changes, moveTo, openDesk, type Week } from './week.ts'
import { work } from './week-acts.ts'
import {
  endEverything,
  expectBookedOnce,
  expectNothingWaitsForNobody,
  expectOnCall,
  inherit,
} from './week-checks.ts'
import { expectSameCounts } from './week-counts.ts'

const hoursOfDay = [8, 10, 12, 14, 16, 18]
const days = 7
const actsPerRound = 16

/**
 * Play the week of a service desk, and check after each day what waits, what was booked and what is counted.
 */
export async function playWeek(service: OwnService, seed: number): Promise<Week> {
  const week = await openDesk(service, seed)
  for (let day = 0; day < days; day++) {
    for (const hour of hoursOfDay) {
      await moveTo(week, day, hour)
      if (hour === 12) for (const { on, happen } of changes) if (on === day) await happen(week)
      await work(week, actsPerRound)
    }
    await moveTo(week, day, 20)
    await expectOnCall(week, day)
    await expectSameCounts(week)
    await inherit(week)
    await expectNothingWaitsForNobody(week)
    await expectBookedOnce(week)
  }
  await endEverything(week)
  await moveTo(week, days - 1, 22)
  await expectSameCounts(week)
  await expectNothingWaitsForNobody(week)
  await expectBookedOnce(week)
  return week
}
