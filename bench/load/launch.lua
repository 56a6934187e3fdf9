-- Launches, each with a ticker of its own.
-- wrk … -- <file with a bearer token per line> <prefix of 4 characters, another one for each run>
--          [pause in milliseconds between a connection's requests]

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

local DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
local headers, prefix, count = {}, "", 0

function init(args)
  for token in io.lines(args[1]) do
    table.insert(headers, {
      ["Authorization"] = "Bearer " .. token,
      ["Content-Type"] = "application/json",
    })
  end
  prefix = args[2] .. DIGITS:sub(number + 1, number + 1)
  local pause = tonumber(args[3])
  if pause then
    delay = function() return pause end
  end
end

local function base36(value)
  local text = ""
  for _ = 1, 5 do
    local digit = value % 36
    text = DIGITS:sub(digit + 1, digit + 1) .. text
    value = (value - digit) / 36
  end
  return text
end

function request()
  count = count + 1
  local ticker = prefix .. base36(count)
  local body = '{"name":"Agent Coin ' .. count .. '","ticker":"' .. ticker
    .. '","description":"A token of an agent, launched to be counted",'
    .. '"imageUrl":"https://images.example/coin.png"}'
  return wrk.format("POST", "/api/v1/tokens/launch", headers[count % #headers + 1], body)
end
