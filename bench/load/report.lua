-- What wrk measured, as one line of JSON after its own report. Times are in milliseconds.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
  thread:set("number", #threads)
end

local function milliseconds(latency, percentile)
  return latency:percentile(percentile) / 1000
end

function done(summary, latency)
  local completed = 0
  for _, thread in ipairs(threads) do
    completed = completed + (thread:get("completed") or 0)
  end
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  io.write(string.format(
    'REPORT {"seconds":%.6f,"requests":%d,"completed":%d,"failed":%d,"p50":%.4f,"p99":%.4f}\n',
    summary.duration / 1e6, summary.requests, completed, failed,
    milliseconds(latency, 50), milliseconds(latency, 99)
  ))
end
