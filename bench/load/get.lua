-- GETs, one after the other from a file whose lines hold a path and a bearer token.
-- wrk … -- <file> [pause in milliseconds between a connection's requests]

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

local requests, next_request = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local path, token = line:match("^(%S+) (%S+)$")
    table.insert(requests, wrk.format("GET", path, { Authorization = "Bearer " .. token }))
  end
  next_request = number * 7919 % #requests
  local pause = tonumber(args[2])
  if pause then
    delay = function() return pause end
  end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end
