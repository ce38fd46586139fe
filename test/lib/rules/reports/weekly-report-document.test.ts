import { expect, it } from 'vitest'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportHtml } from '#rules/reports/html.ts'
import { describeChart, getAxisEnd } from '#rules/reports/labels.ts'
import { addDays, parseWeek } from '#rules/reports/week.ts'
import { getResolutionRate } from '#rules/reports/weekly.ts'
import { createWeekCounts } from '#test/support/week-counts.ts'

const counts = createWeekCounts({
  week: { ...createWeekCounts().week, team_name: 'Field <service>' },
  flows: [{ tree_id: 'a', name: 'Printer & fax', completed: 10, resolved: 9 }],
  hours: [
    { day: 1, hour: 9, sessions: 4, ai_sessions: 1, resolved: 3 },
    { day: 7, hour: 23, sessions: 2, ai_sessions: 0, resolved: 2 },
    { day: 7, hour: 0, sessions: 0, ai_sessions: 0, resolved: 0 },
  ],
})

it('a weekly report as HTML has its metrics, charts, tables and flows', async () => {
  const html = renderReportHtml(buildWeeklyReport(counts))
  await expect(html.replace(/^.*<body>\n?/s, '')).toMatchFileSnapshot('weekly-report.html.txt')
})

it('a weekly report has a value for each day and hour', () => {
  const report = buildWeeklyReport(counts)
  expect(
    report.by_day.map(({ date, day, started, resolved }) => `${date} ${day} ${started} ${resolved}`),
  ).toEqual([
    '2026-11-16 monday 5 3',
    '2026-11-17 tuesday 0 0',
    '2026-11-18 wednesday 0 0',
    '2026-11-19 thursday 0 0',
    '2026-11-20 friday 0 0',
    '2026-11-21 saturday 0 0',
    '2026-11-22 sunday 2 2',
  ])
  expect(report.by_hour.filter(({ started }) => started > 0)).toEqual([
    { hour: 9, started: 5 },
    { hour: 23, started: 2 },
  ])
  expect([report.by_hour.length, report.by_hour.at(-1)?.hour]).toEqual([24, 23])
  expect(report.busiest_hours).toEqual([
    { day: 'monday', hour: 9, started: 5 },
    { day: 'sunday', hour: 23, started: 2 },
  ])
})

it.each([
  ['2026-W00', undefined],
  ['2026-W01', '2025-12-29'],
  ['2026-W53', '2026-12-28'],
  ['2026-W54', undefined],
  ['2025-W53', undefined],
  // 4 January 2027 is a Monday, and 4 January 2032 a Sunday.
  ['2027-W01', '2027-01-04'],
  ['2032-W01', '2031-12-29'],
  ['2026-W1', undefined],
  ['1999-W01', undefined],
  ['W01', undefined],
])('the week %s starts on %s', (week, monday) => {
  const time = parseWeek(week)
  expect(time === undefined ? undefined : new Date(time).toISOString()).toBe(
    monday && `${monday}T00:00:00.000Z`,
  )
})

it.each([
  ['2026-02-28', 1, '2026-03-01'],
  ['2026-03-01', -1, '2026-02-28'],
  ['2026-03-29', 0, '2026-03-29'],
  ['2026-12-31', 365, '2027-12-31'],
])('%s and %i days is %s', (date, days, expected) => {
  expect(addDays(date, days)).toBe(expected)
})

it.each([
  [{ completed: 0, resolved: 0 }, 0],
  [{ completed: 1, resolved: 1 }, 1],
  [{ completed: 4, resolved: 1 }, 0.25],
])('the rate of %j is %d', (flow, rate) => {
  expect(getResolutionRate(flow)).toBe(rate)
})

const createChart = (...values: number[][]) => ({
  title: 'T',
  series: ['A', 'B'].slice(0, values[0]?.length),
  bars: values.map((bar, index) => ({ label: `L${index}`, values: bar })),
})

it.each([
  [[[0], [0]], 'A: 0 in all.'],
  [[[1], [3], [3]], 'A: 7 in all, most in L1 (3).'],
  [
    [
      [1, 0],
      [0, 2],
    ],
    'A: 1 in all, most in L0 (1). B: 2 in all, most in L1 (2).',
  ],
])('the chart of %j shows %j', (values, text) => {
  expect(describeChart(createChart(...values))).toBe(text)
})

it.each([0, 1, 2, 3, 5, 6, 10, 11, 20, 21, 50, 51, 100, 101])(
  'RPT-18 the axis of a chart with %i fits it, and its middle is a whole number',
  (most) => {
    const end = getAxisEnd(createChart([most]))
    expect([end >= most, Number.isInteger(end / 2), most < 2 || end <= 2 * most]).toEqual([true, true, true])
  },
)
