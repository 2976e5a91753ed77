package main

import "strings"

func helper(text string) string {
	trimmed := strings.TrimSpace(text) // => -
	return upper(trimmed) // => util.go upper
}

func upper(text string) string {
	return strings.ToUpper(text) // => -
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func largest(values []int) int {
	best := 0
	for _, value := range values {
		best = max(best, value) // => util.go max
	}
	return min(best, 3) // => -
}
